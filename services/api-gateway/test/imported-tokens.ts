import { createHash } from 'node:crypto'
import { newToken } from '@posthorn/secrets'

/** Access token as a client of EmailEngine has it, with the id that EmailEngine stores. */
export interface ForeignToken {
  value: string
  id: string
}

export function foreignToken(value: string = newToken()): ForeignToken {
  return { value, id: createHash('sha256').update(Buffer.from(value, 'hex')).digest('hex') }
}
