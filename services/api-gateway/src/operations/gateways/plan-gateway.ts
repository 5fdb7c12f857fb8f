import {
  fieldError,
  type GatewayRegistration,
  type GatewayUpdate,
  validationError,
} from '@posthorn/contracts'
import type { GatewayColumns, LockedGateway } from '../../store/gateways.ts'
import { mask } from '../../http/masks.ts'

export type StoredGateway = LockedGateway

export interface GatewayPlan {
  columns: GatewayColumns
  /** None of these: it stays. */
  password: { seal: string } | { forget: true } | { keep: true }
}

/** What a registration makes of a gateway. The stored password is kept where its mask is sent back, and goes to no other host. */
export function planRegistration(
  given: Omit<GatewayRegistration, 'gateway'>,
  stored: StoredGateway | undefined,
): GatewayPlan {
  const { name, host, port, secure = false, user, pass } = given
  const username = user || null
  const columns = { name, host, port, secure, username }
  return { columns, password: planPassword(columns, pass ?? undefined, stored) }
}

/** What an update makes of it: what is not given stays, the password with its user. */
export function planUpdate(given: GatewayUpdate, stored: StoredGateway): GatewayPlan {
  const { user, pass, ...rest } = given
  const { name, host, port, secure } = { ...stored, ...rest }
  const username = user === undefined ? stored.username : user || null
  const columns = { name, host, port, secure, username }
  const kept = pass === undefined && stored.hasPassword && username === stored.username
  return { columns, password: planPassword(columns, kept ? mask : (pass ?? undefined), stored) }
}

/** @throws AppError `invalid` where a login is half, or would reveal a password that is stored. */
function planPassword(
  { username, host }: GatewayColumns,
  pass: string | undefined,
  stored: StoredGateway | undefined,
): GatewayPlan['password'] {
  if (username === null) {
    if (pass && pass !== mask)
      throw validationError([fieldError('user', 'is required with a password')])
    return { forget: true }
  }
  if (!pass) throw validationError([fieldError('pass', 'is required')])
  if (pass !== mask) return { seal: pass }
  if (!stored?.hasPassword) throw validationError([fieldError('pass', 'is required')])
  // Whoever may change a gateway, and not read its password, would have it sent to a server of theirs.
  if (stored.host.toLowerCase() !== host.toLowerCase())
    throw validationError([fieldError('pass', 'is required for another host')])
  return { keep: true }
}
