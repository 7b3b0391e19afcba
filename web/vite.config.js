// Builds the page into one file: dist/index.html. SPDX-License-Identifier: Apache-2.0
import { defineConfig } from "vite";

// Puts the script and the styles where they were linked, so that the page needs no other file.
function oneFile() {
    return {
        name: "one-file",
        enforce: "post",
        generateBundle(_, bundle) {
            const page = bundle["index.html"];
            const inline = { ".js": (code) => `<script type="module">${code.replaceAll("</script", "<\\/script")}</script>`,
                             ".css": (code) => `<style>${code}</style>` };
            for (const [name, part] of Object.entries(bundle)) {
                const wrap = inline[name.slice(name.lastIndexOf("."))];
                if (part === page || !wrap) continue;
                const link = new RegExp(`<(script|link)[^>]*"[./]*${name}"[^>]*>(</script>)?`);
                const text = wrap(part.code ?? part.source);
                if (!link.test(page.source)) throw new Error(`${name} is not linked from the page`);
                // A script must come after the data it reads, styles where they are.
                if (name.endsWith(".js")) page.source = page.source.replace(link, "").replace("</body>", () => text + "\n</body>");
                else page.source = page.source.replace(link, () => text);
                delete bundle[name];
            }
        },
    };
}

export default defineConfig({
    base: "./",
    build: { target: "es2022", cssCodeSplit: false, assetsInlineLimit: Infinity, modulePreload: { polyfill: false } },
    plugins: [oneFile()],
});
