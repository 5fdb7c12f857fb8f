import type { ImapUpdate, SmtpUpdate } from '@posthorn/contracts'
import { mask } from '../../http/masks.ts'
import type { ServerInput, StoredServers } from '../../accounts/plan-server.ts'

/**
 * The server that an update means: of a partial one what is not given stays, the password with its user; else it is the whole. Stands
 * for the stored password with a mask.
 */
export function mergeServer(
  given: ImapUpdate | SmtpUpdate | false | undefined,
  stored: StoredServers['imap' | 'smtp'],
): ServerInput | false | undefined {
  if (given === undefined || given === false) return given
  const { partial, ...update } = given
  if (!partial) return update
  const merged: ServerInput = { ...stored, ...update }
  const auth = mergeLogin(update, stored)
  if (auth === undefined) delete merged.auth
  else merged.auth = auth
  // A login of its own takes the place of the authentication server.
  if (auth && merged.useAuthServer && !update.useAuthServer) merged.useAuthServer = false
  return merged
}

function mergeLogin(
  { auth, useAuthServer }: ServerInput,
  stored: StoredServers['imap' | 'smtp'],
): ServerInput['auth'] {
  const known = stored?.auth
  if (auth) return auth.pass === undefined && known && known.user === auth.user ? kept(auth) : auth
  if (auth === false || useAuthServer) return auth
  return known ? kept(known) : known
}

function kept({ user }: { user: string }): { user: string; pass: string } {
  return { user, pass: mask }
}
