import type { Bus } from '@posthorn/bus'
import {
  type FieldError,
  fieldError,
  validationError,
  operations,
  type VerifyRequest,
} from '@posthorn/contracts'
import { handle } from '../../http/route.ts'
import { credentialsOf, probeServers } from '../../accounts/probe-servers.ts'

export interface Deps {
  bus: Bus
  timeoutMs: number
}

export function onVerifyAccount({ bus, timeoutMs: leastMs }: Deps) {
  return handle(operations.verifyAccount, async ({ body, headers, signal }) => {
    assertPossible(body)
    const timeoutMs = Math.max(leastMs, headers['x-svc-timeout'] ?? 0)
    return probeServers({ bus, timeoutMs, signal }, body)
  })
}

/** The authentication server is asked by account, and there is none. */
function assertPossible({ imap, smtp }: VerifyRequest): void {
  const errors: FieldError[] = []
  for (const [kind, server] of Object.entries({ imap, smtp })) {
    if (!server || ('disabled' in server && server.disabled)) continue
    if (server.useAuthServer)
      errors.push(fieldError(`${kind}.useAuthServer`, 'is not possible here'))
    else if (!server.auth && kind === 'imap') errors.push(fieldError('imap.auth', 'is required'))
    else if (server.auth && !credentialsOf(server.auth))
      errors.push(fieldError(`${kind}.auth.pass`, 'is required'))
  }
  if (errors.length > 0) throw validationError(errors)
}
