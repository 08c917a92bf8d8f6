# The real Slurm that the cluster tests run on. Included by the main Makefile.

.PHONY: deps-cluster slurm-up slurm-down slurm-status slurm-faults

deps-cluster: ## install the test cluster's Debian packages (root), or name them
	@go run ./slurm/slurmtest/cluster deps

slurm-up: ## start the test cluster, or do nothing where it runs
	@go run ./slurm/slurmtest/cluster up

slurm-down: ## end the test cluster and remove its directory
	@go run ./slurm/slurmtest/cluster down

slurm-status: ## show the test cluster's daemons and nodes
	@go run ./slurm/slurmtest/cluster status

# Stopped daemons and killed nodes: part of test-fault, and by itself, since it has the cluster alone.
slurm-faults: slurm-up
	$(GOTEST) -tags fault -count 1 -timeout 20m ./slurm/slurmtest/

test-fault: slurm-faults
