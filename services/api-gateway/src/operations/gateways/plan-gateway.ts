import { fieldError } from '@posthorn/contracts/describe-error'
import { type Destination, destinationOf } from '@posthorn/contracts/schemas/destination'
import type { GatewayRegistration, GatewayUpdate } from '@posthorn/contracts/schemas/gateway'
import { validationError } from '@posthorn/contracts/validate'
import { changedLoginParts, type StoredLogin } from '../../accounts/stored-login.ts'
import type { GatewayColumns, LockedGateway } from '../../store/messages/gateways.ts'
import { mask } from '../../http/masks.ts'

/** Changes of an SMTP gateway: its columns, and the plan for its password. */
export interface GatewayPlan {
  columns: GatewayColumns
  password: { seal: string } | 'delete' | 'keep'
}

/**
 * Names of the parts of a gateway login in error messages. Gateways have no TLS options and no
 * proxy.
 */
const partNames = {
  source: 'login',
  user: 'user',
  host: 'host',
  port: 'port',
  secure: 'value of "secure"',
  tls: 'server',
  proxy: 'proxy',
}

/**
 * Plans the registration of an SMTP gateway. A masked password keeps the stored password if the
 * login is unchanged.
 */
export function planRegistration(
  input: Omit<GatewayRegistration, 'gateway'>,
  stored: LockedGateway | undefined,
): GatewayPlan {
  const { name, host, port, secure = false, user, pass } = input
  const username = user || null
  const columns = { name, host, port, secure, username }
  return { columns, password: planPassword(columns, pass ?? undefined, stored) }
}

/**
 * Plans an update of an SMTP gateway. Absent fields keep their value. The stored password stays
 * only if the login is unchanged.
 */
export function planUpdate(input: GatewayUpdate, stored: LockedGateway): GatewayPlan {
  const { user, pass, ...rest } = input
  const { name, host, port, secure } = { ...stored, ...rest }
  const username = user === undefined ? stored.username : user || null
  const columns = { name, host, port, secure, username }
  const keepsPassword = pass === undefined && stored.hasPassword && username === stored.username
  return {
    columns,
    password: planPassword(columns, keepsPassword ? mask : (pass ?? undefined), stored),
  }
}

/**
 * Plans the change of a gateway's password.
 *
 * @throws AppError `invalid` if the login has a user or a password only, or a stored password would
 * go to another server
 */
function planPassword(
  columns: GatewayColumns,
  pass: string | undefined,
  stored: LockedGateway | undefined,
): GatewayPlan['password'] {
  if (columns.username === null) {
    if (pass && pass !== mask)
      throw validationError([fieldError('user', 'is required with a password')])
    return 'delete'
  }
  if (!pass) throw validationError([fieldError('pass', 'is required')])
  if (pass !== mask) return { seal: pass }
  if (!stored?.hasPassword) throw validationError([fieldError('pass', 'is required')])
  // Keeps the stored gateway password only for an unchanged login. A client could otherwise have
  // the password, which the client cannot read, sent to its own server.
  const [changed] = changedLoginParts(loginOf(stored), loginOf(columns))
  if (changed !== undefined)
    throw validationError([fieldError('pass', `is required for another ${partNames[changed]}`)])
  return 'keep'
}

/**
 * Login at an SMTP gateway, in the normalized form that is also used to compare logins of accounts.
 */
function loginOf({ username, host, port, secure = false }: GatewayColumns): StoredLogin {
  return { source: 'password', user: username, host: host.toLowerCase(), port, secure }
}

/** Server of an SMTP gateway, for which the password of the gateway is sealed (encrypted). */
export function gatewayDestination({ username, ...server }: GatewayColumns): Destination {
  return destinationOf(server, { user: username ?? undefined })
}
