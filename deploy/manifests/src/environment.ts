import { ConfigError, type Env } from '@posthorn/config'

/** Process of the container image, with the environment variables that its code reads. */
export interface Process {
  variables: ReadonlySet<string>
  readConfig: (env: Env) => unknown
  /** Example values for environment variables whose real values are in Secrets. */
  examples: Env
}

export type Processes = ReadonlyMap<string, Process>

/**
 * Environment variables that the runtime of every process reads: Node and the Postgres client.
 * Variables of OpenTelemetry, which begin with `OTEL_`, are also allowed.
 */
const runtimeVariables = new Set(['NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS', 'PGSSLMODE', 'TZ'])

/**
 * Finds the environment variables that a process reads: calls `readConfig` with an object that
 * records the names of the read variables, again with an example value for each missing variable
 * until the call succeeds. Returns the process with the names.
 *
 * @param switches values of variables without which the process does not read other variables
 */
export function describeProcess(
  readConfig: (env: Env) => unknown,
  examples: Env,
  switches: Env = {},
): Process {
  const variables = new Set<string>()
  const env: Record<string, string | undefined> = { ...switches }
  const recorder = new Proxy(env, {
    get(target, name) {
      if (typeof name !== 'string') return undefined
      variables.add(name)
      return target[name]
    },
  })
  for (;;) {
    try {
      readConfig(recorder)
      return { variables, readConfig, examples }
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      const example = examples[error.variable]
      if (example === undefined || env[error.variable] !== undefined) throw error
      env[error.variable] = example
    }
  }
}

/** Environment variable of a container in a Kubernetes manifest. */
export interface Variable {
  name: string
  /**
   * Value of the environment variable. Undefined if the manifest only refers to the value, for
   * example to a key of a Secret.
   */
  value: string | undefined
}

export interface EnvironmentResult<V extends Variable> {
  /**
   * Faults of the environment variables of a container. `variable` is the faulty variable, or
   * undefined for example if a variable is missing.
   */
  faults: { variable: V | undefined; text: string }[]
  /**
   * Configuration that the container's process reads from the environment variables. Undefined if
   * the process could not start.
   */
  config: Record<string, unknown> | undefined
}

/**
 * Compares the environment variables of a container with the variables that the process reads. Also
 * calls the process's own function for reading the configuration, so that missing and invalid
 * values are reported with its messages.
 */
export function checkEnvironment<V extends Variable>(
  name: string,
  process: Process,
  input: readonly V[],
): EnvironmentResult<V> {
  const variables = [...new Map(input.map((variable) => [variable.name, variable])).values()]
  const unread = variables
    .filter((variable) => !isRead(process, variable.name))
    .map((variable) => ({ variable, text: `${name} does not read ${variable.name}` }))
  try {
    const config = process.readConfig(environmentOf(process, variables)) as Record<string, unknown>
    const settings = variables.find((variable) => variable.name === 'SVC_SETTINGS')
    const unknown = ((config['unknownSettings'] ?? []) as string[]).map((setting) => ({
      variable: settings,
      text: `SVC_SETTINGS: ${setting} is not a setting`,
    }))
    return { faults: [...unread, ...unknown], config }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const names = [error.variable, `${error.variable}_FILE`]
    const variable = variables.find((each) => names.includes(each.name))
    return { faults: [...unread, { variable, text: error.message }], config: undefined }
  }
}

function isRead({ variables }: Process, name: string): boolean {
  return variables.has(name) || runtimeVariables.has(name) || name.startsWith('OTEL_')
}

/**
 * Environment variables of a process, prepared for reading its configuration. A variable
 * `<name>_FILE` is replaced by the variable `<name>` with an example value.
 */
function environmentOf({ variables, examples }: Process, input: readonly Variable[]): Env {
  return Object.fromEntries(
    input.map(({ name, value }) => {
      const content = name.endsWith('_FILE') ? name.slice(0, -'_FILE'.length) : ''
      return variables.has(content) ? [content, examples[content]] : [name, value ?? examples[name]]
    }),
  )
}
