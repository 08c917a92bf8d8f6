// Package conf reads settings from layers, strictly, and remembers where each
// value came from. It knows nothing of sites, models or plans: the caller's Go
// type is the schema, and its yaml tags (json tags where there are none) are
// the key names.
//
// A layer is a YAML file, embedded bytes, environment variables or flags. Load
// lays them on top of each other, lowest first:
//
//	profile, origins, err := conf.Load[Profile](
//		conf.Bytes("embedded:lumi.yaml", data),
//		conf.File("/home/me/.config/hpcbench/sites/lumi.yaml"),
//		conf.Values(conf.Value{Path: []string{"account"}, Text: "project_465000001", Source: "--account"}),
//	)
//	fmt.Println(profile.Account, "from", origins.Of("account"))
//
// Maps with a declared shape are merged key by key. Lists, and values of
// undeclared shape (a field of type any), are leaves: a higher layer replaces
// them whole. Nothing is converted on the way: "4" is not the number 4, null is
// refused, and so are a key written twice, a key in the wrong case, anchors and
// aliases, a second document, an integer with a leading zero. A time.Duration
// is written as Go writes it ("90s", "2h30m"). All that is wrong in all layers
// is reported at once, each Problem with its file, line, key and the nearest
// known key.
//
// This is the only package that imports viper, and it uses an instance of its
// own for each Load.
package conf
