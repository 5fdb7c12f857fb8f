import type { LastError } from '@posthorn/contracts'

/**
 * An error as it is told. Names of columns are written with capitals where they are read, and with them those inside of what is stored:
 * what a token endpoint answered is told by its own names (RFC 6749 §5.2) again.
 */
export function describeLastError(lastError: LastError | null): LastError | null {
  const response = lastError?.tokenRequest?.response
  if (!response) return lastError
  const own = Object.entries(response).map(([name, value]) => [snakeCased(name), value] as const)
  return {
    ...lastError,
    tokenRequest: { ...lastError.tokenRequest, response: Object.fromEntries(own) },
  }
}

function snakeCased(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
