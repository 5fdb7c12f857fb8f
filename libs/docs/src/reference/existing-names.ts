import { eventNames } from '@posthorn/contracts/events'
import { allOperations } from '@posthorn/contracts/operations'
import { settingKeys } from '@posthorn/contracts/settings/settings'
import { errorCodes } from '@posthorn/errors'
import { type ApiSchema, apiDocument, apiOperations } from './api-document.ts'
import { readMetrics } from './metrics-page.ts'
import { readProjectFile, readSources } from './source-files.ts'

/** Names in the code to which the documentation refers, by kind. */
export interface ExistingNames {
  /**
   * Methods and paths of API operations, with `{}` for each path parameter: `GET /v1/account/{}`.
   */
  operations: ReadonlySet<string>
  operationIds: ReadonlySet<string>
  events: ReadonlySet<string>
  settings: ReadonlySet<string>
  variables: ReadonlySet<string>
  errorCodes: ReadonlySet<string>
  metrics: ReadonlySet<string>
  /** Names of API parameters and of members of requests, responses and events, at any depth. */
  members: ReadonlySet<string>
}

/**
 * Reads the names of API operations, events, settings, variables, error codes and metrics from the
 * code.
 */
export function readExistingNames(): ExistingNames {
  return {
    operations: new Set(
      allOperations.map(({ method, path }) => `${method.toUpperCase()} ${toTemplate(path)}`),
    ),
    operationIds: new Set(apiOperations.map(({ operationId }) => operationId)),
    events: new Set(eventNames),
    settings: new Set(settingKeys),
    variables: readVariableNames(),
    errorCodes: new Set(errorCodes),
    metrics: new Set(readMetrics().map(({ name }) => name)),
    members: memberNames(),
  }
}

/**
 * Path of an API operation with `{}` for each parameter, which documents write as `{name}`, `:name`
 * or `NAME`.
 */
export function toTemplate(path: string): string {
  return path.replaceAll(/:\w+|\{\w*\}|(?<=\/)[A-Z][A-Z_]*(?=\/|$)/g, '{}')
}

/** Environment variables that the code of services and commands reads. */
export function readVariableNames(): Set<string> {
  return new Set(
    readSources()
      .filter(({ path }) => /(?:config|-main|service-config)\.ts$/.test(path))
      .flatMap(({ text }) =>
        [...text.matchAll(/'((?:SVC_|DATABASE_|AMQP_)[A-Z0-9_]+)'/g)].map(([, name = '']) => name),
      ),
  )
}

/** Environment variables that `make up` and other programs for development read or write. */
export function readLocalVariableNames(): Set<string> {
  const text = ['deploy/local/README.md', 'deploy/local/src/system/system-variables.ts']
    .map(readProjectFile)
    .join('\n')
  return new Set([...text.matchAll(/\b(?:POSTHORN|SVC)_[A-Z0-9_]+/g)].map(([name]) => name))
}

function memberNames(): Set<string> {
  const names = new Set<string>()
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const { properties, parameters } = value as ApiSchema & { parameters?: { name: string }[] }
    for (const name of Object.keys(properties ?? {})) names.add(name)
    if (Array.isArray(parameters)) for (const { name } of parameters) names.add(name)
    for (const part of Object.values(value)) visit(part)
  }
  visit(apiDocument)
  return names
}
