import type { ProviderRequest, ProviderResponse } from '../requests.ts'

export interface GraphRecipient {
  emailAddress: { name?: string; address: string }
}

/** JSON object of unchecked form. */
export type Json = { [name: string]: unknown }

/** Error response of the service, thrown by handlers. */
export class GraphFault extends Error {
  override name = 'GraphFault'
  readonly response: ProviderResponse

  constructor(status: number, code: string, message: string) {
    super(message)
    this.response = faultResponse(status, code, message)
  }
}

/** Error as the service sends it. */
export function faultResponse(
  status: number,
  code: string,
  message = 'The operation failed.',
): ProviderResponse {
  const innerError = { date: '2026-09-01T10:00:00', 'request-id': 'r', 'client-request-id': 'c' }
  return { status, body: { error: { code, message, innerError } } }
}

/** Failure of a page with a damaged message (microsoftgraph/microsoft-graph-docs issue 2913). */
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

/** Values of the header `Prefer`. */
export function preferences({ headers }: Pick<ProviderRequest, 'headers'>): string {
  return [headers['prefer'] ?? ''].flat().join(', ')
}

/** True if ids of the request and its response are immutable ids. */
export function isImmutable(request: Pick<ProviderRequest, 'headers'>): boolean {
  return /IdType="ImmutableId"/.test(preferences(request))
}

export function isoOf(time: number): string {
  return new Date(Math.floor(time / 1_000) * 1_000).toISOString().replace('.000Z', 'Z')
}

export function bodyOf({ body }: ProviderRequest): Json {
  return (body ?? {}) as Json
}
