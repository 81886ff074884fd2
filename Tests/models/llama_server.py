"""Runs llama.cpp's server on a model until its input ends, and prints its address.

    llama_server.py MODEL.gguf [--key KEY] [--context TOKENS]
"""
import sys

import xllamacpp


def main():
    parameters = xllamacpp.CommonParams()
    parameters.model.path = sys.argv[1]
    parameters.model_alias = {"tiny"}
    parameters.port = 0
    parameters.n_ctx, parameters.n_parallel = 8192, 2
    if "--context" in sys.argv:
        parameters.n_ctx, parameters.n_parallel = int(sys.argv[sys.argv.index("--context") + 1]), 1
    parameters.n_gpu_layers = 0
    parameters.cpuparams.n_threads = 1
    parameters.cpuparams_batch.n_threads = 1
    parameters.endpoint_metrics = True
    parameters.warmup = False
    parameters.verbosity = 0
    if "--key" in sys.argv:
        parameters.api_keys = [sys.argv[sys.argv.index("--key") + 1]]
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
