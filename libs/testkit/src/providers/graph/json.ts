import type { ProviderRequest, ProviderResponse } from '../requests.ts'

export interface GraphRecipient {
  emailAddress: { name?: string; address: string }
}

/** JSON object of a Graph request or response, of unchecked form. */
export type Json = { [name: string]: unknown }

/** Error that handlers of the Graph fake throw. Sent as an error response. */
export class GraphFault extends Error {
  override name = 'GraphFault'
  readonly response: ProviderResponse

  constructor(status: number, code: string, message: string) {
    super(message)
    this.response = faultResponse(status, code, message)
  }
}

/** Error response in the format of Graph. */
export function faultResponse(
  status: number,
  code: string,
  message = 'The operation failed.',
): ProviderResponse {
  const innerError = { date: '2026-09-01T10:00:00', 'request-id': 'r', 'client-request-id': 'c' }
  return { status, body: { error: { code, message, innerError } } }
}

/**
 * Error of a list page that contains a damaged message (microsoftgraph/microsoft-graph-docs issue
 * 2913).
 */
export function damagedPage(): GraphFault {
  return new GraphFault(500, 'ErrorInternalServerError', 'An internal server error occurred.')
}

export function itemMissing(): GraphFault {
  return new GraphFault(
    404,
    'ErrorItemNotFound',
    'The specified object was not found in the store.',
  )
}

export function folderMissing(): GraphFault {
  const text = 'The specified folder could not be found in the store.'
  return new GraphFault(404, 'ErrorFolderNotFound', text)
}

/** Values of the header `Prefer` of a Graph request. */
export function preferences({ headers }: Pick<ProviderRequest, 'headers'>): string {
  return [headers['prefer'] ?? ''].flat().join(', ')
}

/** True if the request asks for immutable ids in its response. */
export function isImmutable(request: Pick<ProviderRequest, 'headers'>): boolean {
  return /IdType="ImmutableId"/.test(preferences(request))
}

export function isoOf(time: number): string {
  return new Date(Math.floor(time / 1_000) * 1_000).toISOString().replace('.000Z', 'Z')
}

export function bodyOf({ body }: ProviderRequest): Json {
  return (body ?? {}) as Json
}
