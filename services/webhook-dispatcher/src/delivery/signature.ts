import { createHmac } from 'node:crypto'

/** `X-SVC-Wh-Signature`: HMAC-SHA256 over the bytes of the body, base64url. Interface spec, "Signature". */
export function sign(body: string | Uint8Array, serviceSecret: string): string {
  return createHmac('sha256', serviceSecret).update(body).digest('base64url')
}
