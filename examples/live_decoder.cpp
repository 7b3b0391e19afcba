/* The live decoder again, from C++, each handle freed by its own destructor. SPDX-License-Identifier: Apache-2.0 */
#include <congru/congru.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

/* The library's handles are destroyed through a pointer to them. */
template <typename T, void (*destroy)(T **)> struct handle_deleter {
    void operator()(T *handle) const
    {
        destroy(&handle);
    }
};
using context = std::unique_ptr<congru_context, handle_deleter<congru_context, congru_context_destroy>>;
using model = std::unique_ptr<congru_model, handle_deleter<congru_model, congru_model_destroy>>;
using decoder = std::unique_ptr<congru_decoder, handle_deleter<congru_decoder, congru_decoder_destroy>>;

static void check(congru_context *in, congru_status status)
{
    if (status != CONGRU_OK)
        throw std::runtime_error(congru_context_error(in));
}

static void run(const char *path)
{
    congru_context *made_context = nullptr;
    if (congru_context_create(&made_context, nullptr) != CONGRU_OK)
        throw std::bad_alloc();
    context in(made_context);
    congru_model *made_model = nullptr;
    check(in.get(), congru_model_load(in.get(), path, &made_model));
    model asked(made_model);
    congru_decoder_options options;
    congru_decoder_options_init(&options);
    options.rate = 2;
    congru_decoder *made_decoder = nullptr;
    check(in.get(), congru_decoder_create(in.get(), asked.get(), &options, &made_decoder));
    decoder live(made_decoder);

    std::vector<float> frame(congru_decoder_channels(live.get()));
    while (std::fread(frame.data(), sizeof(float), frame.size(), stdin) == frame.size()) {
        congru_decision decision;
        std::size_t taken;
        check(in.get(), congru_decoder_push_float(live.get(), 1, frame.data(), &taken, &decision));
        if (decision.due && decision.prediction >= 0)
            std::printf("%7.2f s  %s (%.2f)\n", decision.time,
                        congru_model_class(asked.get(), static_cast<std::size_t>(decision.prediction)),
                        decision.probability[decision.prediction]);
    }
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        std::fprintf(stderr, "usage: %s MODEL <FRAMES\n", argv[0]);
        return 2;
    }
    try {
        run(argv[1]);
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "%s\n", failure.what());
        return 1;
    }
    return 0;
}
