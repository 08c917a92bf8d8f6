package main

import (
	"fmt"

	"hpcbench/jobs/prepare"
	"hpcbench/sites"
	"hpcbench/sites/conf"
)

type prepareCmd struct {
	Site      string `required:"" help:"Machine." placeholder:"NAME" predictor:"site"`
	Model     string `help:"Model to fetch: a short name of the catalogue, or org/name." placeholder:"MODEL" predictor:"model"`
	Revision  string `help:"Revision of the model; what its main branch is now if not given." placeholder:"REV"`
	ImageFrom string `name:"image-from" help:"Where the image is pulled from if it isn't there, such as docker://…." placeholder:"URI"`
	Account   string `help:"Project that pays; the caches' paths may name it." placeholder:"ACCOUNT"`
	Image     string `help:"Path of the image, a .sif." placeholder:"PATH"`
	CacheDir  string `help:"Folder for caches." placeholder:"DIR"`
}

// Run brings image and weights into the caches, and learns what is in the image.
func (c prepareCmd) Run(a *app) error {
	var values []conf.Value
	for key, text := range map[string]string{"account": c.Account, "image": c.Image, "cache_dir": c.CacheDir} {
		if text != "" {
			values = append(values, conf.Value{Path: []string{key}, Text: text, Source: "--" + key})
		}
	}
	options := sites.System(values...)
	site, origins, err := sites.LoadSite(c.Site, options)
	if err == nil {
		err = sites.Require(site, origins)
	}
	if err == nil {
		site, err = site.Expand(options.Who())
	}
	if err != nil {
		return usage(err)
	}
	request := prepare.Request{
		Site: site, ImageFrom: c.ImageFrom, Revision: c.Revision, Output: a.stderr,
		Say: func(format string, args ...any) { fmt.Fprintf(a.stdout, format+"\n", args...) },
	}
	if c.Model != "" {
		catalogue, _, err := sites.LoadModels(options)
		if err != nil {
			return usage(err)
		}
		m, err := catalogue.Find(c.Model)
		if err != nil {
			return usage(err)
		}
		if m.Directory != "" {
			return usage(fmt.Errorf("%s is a folder: there is nothing to fetch", m.Directory))
		}
		request.Model = m.ID
	}
	if err := request.Run(a.ctx); err != nil {
		if a.ctx.Err() != nil {
			return a.ctx.Err()
		}
		return failed(err)
	}
	return nil
}
