/* The page of a command that was built without it. SPDX-License-Identifier: Apache-2.0 */
extern const char report_page[];
const char report_page[] = "";
