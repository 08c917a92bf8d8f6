"""Makes a model that vLLM loads in no time: python tinymodel.py DIR

Two layers of Qwen3 with random weights from a fixed seed, and a real byte-level
BPE tokenizer trained on Python's own documentation. Its text means nothing; its
tokens, usage, KV cache and scheduling are as real as any model's.
"""

import json
import pathlib
import sys

import pydoc_data.topics
import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]  # ids 0, 1, 2
TEMPLATE = (
    "{% for message in messages %}"
    "<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n"
    "{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
CONFIG = {
    "architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "torch_dtype": "bfloat16",
    "vocab_size": 2048, "hidden_size": 64, "num_hidden_layers": 2, "intermediate_size": 128,
    "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 32,
    "max_position_embeddings": 32768, "rope_theta": 1000000.0, "rms_norm_eps": 1e-6, "hidden_act": "silu",
    "attention_bias": False, "attention_dropout": 0.0, "tie_word_embeddings": False, "initializer_range": 0.02,
    "use_cache": True, "bos_token_id": None, "eos_token_id": 2, "pad_token_id": 0,
}
TOKENIZER_CONFIG = {
    "tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": CONFIG["max_position_embeddings"],
    "bos_token": None, "eos_token": "<|im_end|>", "pad_token": "<|endoftext|>",
    "clean_up_tokenization_spaces": False, "chat_template": TEMPLATE,
}
GENERATION_CONFIG = {"eos_token_id": [2, 0], "pad_token_id": 0, "do_sample": True}


def tokenizer():
    tok = Tokenizer(models.BPE())
    tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tok.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=CONFIG["vocab_size"], special_tokens=SPECIAL, show_progress=False,
                                  initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()))
    topics = pydoc_data.topics.topics
    tok.train_from_iterator((topics[name] for name in sorted(topics)), trainer)
    if tok.get_vocab_size() != CONFIG["vocab_size"]:
        sys.exit(f"the tokenizer has {tok.get_vocab_size()} tokens instead of {CONFIG['vocab_size']}")
    return tok


def weights():
    random = torch.Generator().manual_seed(20261201)
    hidden, inner, head = CONFIG["hidden_size"], CONFIG["intermediate_size"], CONFIG["head_dim"]
    queries, keys = CONFIG["num_attention_heads"] * head, CONFIG["num_key_value_heads"] * head

    def matrix(rows, columns):
        return (torch.randn(rows, columns, generator=random) * 0.05).to(torch.bfloat16)

    def norm(n):
        return torch.ones(n, dtype=torch.bfloat16)

    tensors = {
        "model.embed_tokens.weight": matrix(CONFIG["vocab_size"], hidden),
        "model.norm.weight": norm(hidden),
        "lm_head.weight": matrix(CONFIG["vocab_size"], hidden),
    }
    for layer in range(CONFIG["num_hidden_layers"]):
        tensors |= {f"model.layers.{layer}.{name}.weight": tensor for name, tensor in {
            "input_layernorm": norm(hidden),
            "self_attn.q_proj": matrix(queries, hidden),
            "self_attn.k_proj": matrix(keys, hidden),
            "self_attn.v_proj": matrix(keys, hidden),
            "self_attn.o_proj": matrix(hidden, queries),
            "self_attn.q_norm": norm(head),
            "self_attn.k_norm": norm(head),
            "post_attention_layernorm": norm(hidden),
            "mlp.gate_proj": matrix(inner, hidden),
            "mlp.up_proj": matrix(inner, hidden),
            "mlp.down_proj": matrix(hidden, inner),
        }.items()}
    return tensors


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer().save(str(folder / "tokenizer.json"))
    for name, content in {"config.json": CONFIG, "tokenizer_config.json": TOKENIZER_CONFIG, "generation_config.json": GENERATION_CONFIG}.items():
        (folder / name).write_text(json.dumps(content, indent=1) + "\n")
    save_file(weights(), str(folder / "model.safetensors"), metadata={"format": "pt"})


if __name__ == "__main__":
    main()
