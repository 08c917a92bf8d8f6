// Package sites knows machines and models: what a site's partitions, GPUs,
// container runtime, environment and paths are, and how many heads and bytes a model
// has. Profiles and the catalogue are embedded YAML; the user's configuration
// folder changes single keys of them or adds whole sites and models.
//
//	options := sites.System(flags...)                       // environment, working folder, flags
//	cfg, _, err := sites.LoadConfig(options)                // what the user configured, for all sites
//	profile, origins, err := sites.LoadSite("lumi", options) // one site with the user's settings in it
//	if err := sites.Require(profile, origins); err != nil { … } // everything missing, and how to set each
//	profile, err = profile.Expand(options.Who())            // {account}, {user}, … filled in
//	models, _, err := sites.LoadModels(options)
//	model, err := models.Find("Qwen3-Coder-30B")
//
// The layers, highest first: flags, HPCBENCH_* variables, ./hpcbench.yaml,
// config.yaml in the configuration folder, SBATCH_ACCOUNT (for the account
// alone), sites/NAME.yaml in that folder, the embedded profile. In one
// configuration file `sites: {NAME: …}` beats the general keys. The folder is $HPCBENCH_CONFIG_DIR, else
// $XDG_CONFIG_HOME/hpcbench, else ~/.config/hpcbench. A file that somebody else
// could have written is refused.
//
// Names, Check and Rows serve `hpcbench sites list`, `check` and `show`.
package sites
