import { type ExistingNames, readLocalVariableNames, toTemplate } from './existing-names.ts'

/** Name in a documentation page that the code does not have. */
export interface UnknownName {
  line: number
  kind: 'operation' | 'variable' | 'metric' | 'event or error code'
  name: string
}

/**
 * Patterns of the names of events and error codes. Other names in camel case are members,
 * parameters or names of other products, such as the codes `Error…` of Microsoft Graph.
 */
const eventOrCode =
  /^(?:account[A-Z][a-z]+ed|(?:message|mailbox|export|track|list|authentication|connect)[A-Z][A-Za-z]*|(?!Error)[A-Z][a-z]+[A-Za-z]*(?:NotFound|Unavailable|NotSupported|Rejected|Expired|Exceeded|Denied|Disabled|Timeout|AlreadyExists))$/

/** Metric series that Prometheus derives from a histogram. */
const series = /_(?:bucket|count|sum)$/
/**
 * Names that start with `posthorn_` like metrics, but are no metrics: database roles, users and the
 * like.
 */
const services =
  /^posthorn_(?:admin_ui|api_gateway|auth_bridge|imap_proxy|sender|smtp_proxy|sync_worker|webhook_dispatcher|owner)$/

/**
 * Finds the names of operations, variables, metrics, events and error codes in backticks of a
 * document that the code does not have. Fenced code is included for variables and metrics only.
 */
export function findUnknownNames(markdown: string, existing: ExistingNames): UnknownName[] {
  const local = readLocalVariableNames()
  let isFenced = false
  return markdown.split('\n').flatMap((text, index) => {
    if (/^\s*(?:```|~~~)/.test(text)) isFenced = !isFenced
    const quoted = isFenced ? [] : [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
    const unknown: Omit<UnknownName, 'line'>[] = [
      ...unknownOperations(quoted, existing),
      ...unknownVariables(isFenced ? [text] : quoted, { existing, local }),
      ...unknownMetrics(isFenced ? [text] : quoted, existing),
      ...unknownEvents(quoted, existing),
    ]
    return unknown.map((name) => ({ line: index + 1, ...name }))
  })
}

function unknownOperations(quoted: readonly string[], { operations }: ExistingNames) {
  return quoted.flatMap((text) => {
    const [, method, path = ''] =
      /^(GET|POST|PUT|DELETE|PATCH) (\/(?:v1|admin\/api)\/[^\s?#]*)/.exec(text) ?? []
    const name = `${method} ${toTemplate(path)}`
    return method === undefined || operations.has(name)
      ? []
      : [{ kind: 'operation' as const, name }]
  })
}

function unknownVariables(
  texts: readonly string[],
  { existing, local }: { existing: ExistingNames; local: ReadonlySet<string> },
) {
  return texts
    .flatMap((text) => [...text.matchAll(/\bSVC_[A-Z0-9_]+\b(?!…)/g)].map(([name]) => name))
    .filter((name) => {
      const plain = name.replace(/_FILE$/, '')
      return ![name, plain].some((one) => existing.variables.has(one) || local.has(one))
    })
    .map((name) => ({ kind: 'variable' as const, name }))
}

function unknownMetrics(texts: readonly string[], { metrics }: ExistingNames) {
  return texts
    .flatMap((text) => [...text.matchAll(/\bposthorn_[a-z0-9_]*[a-z0-9]\b(?!…)/g)])
    .map(([name]) => name)
    .filter(
      (name) =>
        !metrics.has(name) && !metrics.has(name.replace(series, '')) && !services.test(name),
    )
    .map((name) => ({ kind: 'metric' as const, name }))
}

function unknownEvents(quoted: readonly string[], existing: ExistingNames) {
  const { events, errorCodes, members, settings, operationIds } = existing
  const existingNames = [events, errorCodes, members, settings, operationIds]
  return quoted
    .filter((text) => eventOrCode.test(text) && !existingNames.some((names) => names.has(text)))
    .map((name) => ({ kind: 'event or error code' as const, name }))
}
