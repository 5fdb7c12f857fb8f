import type { IncomingMessage } from 'node:http'
import { parseJsonBody, readJsonBytes } from '../src/index.ts'

interface JsonLimits {
  maxBytes: number
  maxValues: number
}

/**
 * Reads and parses the JSON body of an HTTP request, as the handlers of these tests do. Undefined
 * if the request has no body.
 */
export async function readJson(
  request: IncomingMessage,
  { maxBytes, maxValues }: JsonLimits,
): Promise<unknown> {
  const bytes = await readJsonBytes(request, maxBytes)
  return bytes && parseJsonBody(bytes, maxValues)
}
