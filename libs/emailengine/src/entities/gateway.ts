import { GatewayRegistration } from '@posthorn/contracts/schemas/gateway'
import type { StoredObject } from '../decode.ts'
import type { Entry } from '../entry.ts'
import { fitInput } from './fit-input.ts'
import { compact, toBoolean, toInteger, toText } from './values.ts'

/** Fields of a gateway in EmailEngine's store that have a meaning for Posthorn. */
export const gatewayFields = ['name', 'user', 'pass', 'host', 'port', 'secure'] as const

/** Maps a gateway of EmailEngine to the body of `createGateway`. */
export function mapGateway(id: string, record: StoredObject): Entry<GatewayRegistration> {
  const name = toText(record['name'])
  return fitInput(
    { kind: 'gateway', id, schema: GatewayRegistration, essential: { valid: /./ } },
    {
      candidate: compact({
        gateway: id,
        name: name ?? id,
        user: toText(record['user']),
        pass: toText(record['pass']),
        host: toText(record['host']),
        port: toInteger(record['port']),
        secure: toBoolean(record['secure']),
      }),
      changes: name === undefined ? ['name: set to the id'] : [],
    },
  )
}
