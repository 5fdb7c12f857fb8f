/** Environment variables of a GitHub Actions run that the provenance contains. */
const variables = [
  'GITHUB_EVENT_NAME',
  'GITHUB_REF',
  'GITHUB_REPOSITORY',
  'GITHUB_REPOSITORY_ID',
  'GITHUB_REPOSITORY_OWNER_ID',
  'GITHUB_RUN_ATTEMPT',
  'GITHUB_RUN_ID',
  'GITHUB_SERVER_URL',
  'GITHUB_SHA',
  'GITHUB_WORKFLOW_REF',
  'RUNNER_ENVIRONMENT',
] as const

/**
 * Provenance of a container image: the predicate that a GitHub workflow built the image from a
 * commit (https://slsa.dev/provenance/v1). `cosign attest` adds the image's digest and signs the
 * statement.
 *
 * @throws Error if an environment variable of the GitHub Actions run is missing
 */
export function provenance(env: Readonly<Record<string, string | undefined>>): object {
  const read = (name: (typeof variables)[number]): string => {
    const value = env[name]
    if (value) return value
    throw new Error(`${name} is not set: provenance is written by the workflow of a release`)
  }
  const repository = `${read('GITHUB_SERVER_URL')}/${read('GITHUB_REPOSITORY')}`
  const workflow = read('GITHUB_WORKFLOW_REF')
  const path = workflow.slice(read('GITHUB_REPOSITORY').length + 1).replace(/@.*$/, '')
  return {
    buildDefinition: {
      buildType: 'https://actions.github.io/buildtypes/workflow/v1',
      externalParameters: { workflow: { ref: read('GITHUB_REF'), repository, path } },
      internalParameters: {
        github: {
          event_name: read('GITHUB_EVENT_NAME'),
          repository_id: read('GITHUB_REPOSITORY_ID'),
          repository_owner_id: read('GITHUB_REPOSITORY_OWNER_ID'),
          runner_environment: read('RUNNER_ENVIRONMENT'),
        },
      },
      resolvedDependencies: [
        {
          uri: `git+${repository}@${read('GITHUB_REF')}`,
          digest: { gitCommit: read('GITHUB_SHA') },
        },
      ],
    },
    runDetails: {
      builder: { id: `${read('GITHUB_SERVER_URL')}/${workflow}` },
      metadata: {
        invocationId: `${repository}/actions/runs/${read('GITHUB_RUN_ID')}/attempts/${read('GITHUB_RUN_ATTEMPT')}`,
      },
    },
  }
}
