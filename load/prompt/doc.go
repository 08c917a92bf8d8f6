// Package prompt makes what is sent: texts of an exact token length, and how
// many tokens are asked for. Lengths are drawn from the plan's seed, so that
// repeat k of two runs asks for the same ones; texts are drawn from a salt of
// the attempt, so that no two requests share more than the chat template and
// the prefix cache can't help.
//
// Texts are put together from words whose tokens were counted beforehand by
// the server itself (/tokenize). Byte-level and sentence-piece tokenizers never
// merge across a space, so the counts add up; samples are counted whole to
// make sure of it. Without /tokenize, as behind a gateway, probes with
// max_tokens 1 and the usage that comes back find words of one token each.
package prompt
