"""Writes a language model of 150 KB that knows nothing: one layer with random weights. A grammar in the request fixes its words, so
that llama.cpp's own tokenizer, template, parsers and writers say exactly what a test wants.

    tiny_model.py FILE.gguf
"""
import sys

import gguf
import numpy as np

WIDTH, HEADS, FEED, CONTEXT = 32, 2, 64, 8192
# That it knows of thoughts makes the server look for them in what the model says.
TEMPLATE = (
    "{%- for m in messages -%}<|im_start|>{{ m.role }}\n"
    "{% if m.role == 'assistant' and m.reasoning_content %}<think>\n{{ m.reasoning_content }}\n</think>\n\n{% endif %}"
    "{{ m.content }}<|im_end|>\n{% endfor -%}"
    "{%- if add_generation_prompt -%}<|im_start|>assistant\n"
    "{% if enable_thinking is defined and enable_thinking is false %}<think>\n\n</think>\n\n{% endif %}{%- endif -%}"
)
# Token types of llama.cpp: 1 normal, 2 unknown, 3 control, 4 user-defined, 6 byte.
CONTROL = [("<unk>", 2), ("<s>", 3), ("</s>", 3), ("<|im_start|>", 3), ("<|im_end|>", 3), ("<think>", 4), ("</think>", 4)]
BYTES = [(f"<0x{byte:02X}>", 6) for byte in range(256)]
CHARACTERS = [(chr(code), 1) for code in range(33, 127)] + [("\u2581", 1)]


def main(path):
    tokens = CONTROL + BYTES + CHARACTERS
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("tiny")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(FEED)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_vocab_size(len(tokens))
    writer.add_file_type(0)
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list([text for text, _ in tokens])
    writer.add_token_scores([0.0 if kind == 1 else -1000.0 for _, kind in tokens])
    writer.add_token_types([kind for _, kind in tokens])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(4)
    writer.add_unk_token_id(0)
    writer.add_add_bos_token(False)
    writer.add_add_space_prefix(False)
    writer.add_chat_template(TEMPLATE)
    random = np.random.default_rng(7)

    def weights(*shape):
        return (random.standard_normal(shape) * 0.05).astype(np.float32)

    writer.add_tensor("token_embd.weight", weights(len(tokens), WIDTH))
    writer.add_tensor("output_norm.weight", np.ones(WIDTH, dtype=np.float32))
    writer.add_tensor("output.weight", weights(len(tokens), WIDTH))
    for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
        writer.add_tensor(f"blk.0.{name}.weight", weights(WIDTH, WIDTH))
    for name in ("attn_norm", "ffn_norm"):
        writer.add_tensor(f"blk.0.{name}.weight", np.ones(WIDTH, dtype=np.float32))
    for name, shape in (("ffn_gate", (FEED, WIDTH)), ("ffn_up", (FEED, WIDTH)), ("ffn_down", (WIDTH, FEED))):
        writer.add_tensor(f"blk.0.{name}.weight", weights(*shape))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main(sys.argv[1])
