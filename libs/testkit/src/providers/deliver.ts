import type { ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import type { DeliveryGate, FaultAction } from './faults.ts'
import type { SentResponse } from './validator.ts'

/**
 * Sends a response of a provider fake. Cuts or delays the response if the fault `action` requests
 * that.
 */
export async function deliver(
  response: ServerResponse,
  { status, headers, bytes }: SentResponse,
  action?: FaultAction,
): Promise<void> {
  response.writeHead(status, { ...headers, 'content-length': bytes.length })
  if (action?.kind === 'truncate') {
    // The beginning of the fake's response body is flushed before the connection is cut, so that
    // the client receives it.
    response.write(bytes.subarray(0, action.bytes), () => response.destroy())
    return
  }
  if (action?.kind === 'drip') await drip(response, bytes, action.pieces)
  else if (action?.kind === 'hold') await deliverHeld(response, bytes, action.gate)
  else response.end(bytes)
}

/**
 * Sends a provider fake's response body in pieces, with turns of the event loop before each piece.
 */
async function drip(response: ServerResponse, bytes: Buffer, pieces: number): Promise<void> {
  response.flushHeaders()
  const size = Math.ceil(bytes.length / pieces) || 1
  for (let sent = 0; sent < bytes.length; sent += size) {
    for (let turn = 0; turn < 3; turn++) await setImmediate()
    response.write(bytes.subarray(sent, sent + size))
  }
  response.end()
}

async function deliverHeld(
  response: ServerResponse,
  bytes: Buffer,
  gate: DeliveryGate,
): Promise<void> {
  response.flushHeaders()
  for (let sent = 0; sent < bytes.length;) {
    const count = await gate.take(bytes.length - sent)
    response.write(bytes.subarray(sent, sent + count))
    sent += count
  }
  response.end()
}
