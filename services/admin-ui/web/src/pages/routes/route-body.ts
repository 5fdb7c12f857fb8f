import type { RouteBody, RouteRecord } from '../../data/webhooks/webhook-routes.ts'

/** Sources of the functions of a webhook route. Blank: the route has no such function. */
export interface FunctionSources {
  filter: string
  map: string
}

/** Sources of the functions of a stored webhook route. */
export function sourcesOf({ content }: Pick<RouteRecord, 'content'>): FunctionSources {
  return { filter: content.fn ?? '', map: content.map ?? '' }
}

/** Functions of a webhook route as the API expects them. */
export function contentOf({ filter, map }: FunctionSources): {
  fn: string | null
  map: string | null
} {
  return { fn: sourceOrNull(filter), map: sourceOrNull(map) }
}

function sourceOrNull(source: string): string | null {
  return source.trim() === '' ? null : source
}

/** Request that creates a webhook route, or changes it, from the fields of the form. */
export function routeBody(
  values: Readonly<Record<string, string>>,
  sources: FunctionSources,
): RouteBody {
  const { id = '', name = '', targetUrl = '', description = '', headers = '' } = values
  return {
    ...(id !== '' && { id }),
    name,
    targetUrl,
    description: description === '' ? null : description,
    enabled: values['enabled'] === 'true',
    customHeaders: headerLines(headers).map(parseHeader),
    content: contentOf(sources),
  }
}

/** Text with one HTTP header per line, for the form of a webhook route. */
export function headersText(headers: RouteRecord['customHeaders']): string {
  return headers.map(({ key, value }) => `${key}: ${value}`).join('\n')
}

/** Problem of a text with one HTTP header per line. Null: the text is correct. */
export function headersProblem(text: string): string | null {
  const wrong = headerLines(text).find((line) => parseHeader(line).key === '')
  return wrong === undefined ? null : `Write a name and a colon before the value: ${wrong}`
}

function headerLines(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '')
}

/** Name and value of an HTTP header. A line without a colon has no name. */
function parseHeader(line: string): { key: string; value: string } {
  const colon = line.indexOf(':')
  return { key: line.slice(0, Math.max(colon, 0)).trim(), value: line.slice(colon + 1).trim() }
}
