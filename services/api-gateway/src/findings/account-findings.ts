import type { Finding } from '@posthorn/contracts/schemas/finding'

/**
 * Share of failing accounts above which the finding about failing accounts is a warning, or an
 * error.
 */
const warningPart = 0.1
const errorPart = 0.5

/** Findings about accounts that cannot log in or connect, if many of the accounts fail. */
export function accountFindings(states: ReadonlyMap<string, number>): Finding[] {
  const total = [...states.values()].reduce((sum, count) => sum + count, 0)
  const [refused, unreachable] = [count('authenticationError'), count('connectError')]
  const failing = refused + unreachable
  if (failing <= total * warningPart) return []
  return [
    {
      id: 'accountsFailing',
      level: failing > total * errorPart ? 'error' : 'warning',
      title: 'Many accounts fail',
      detail: `Of ${total} accounts, ${refused} cannot log in (authenticationError) and ${unreachable} cannot connect (connectError).`,
      remedy:
        refused > unreachable
          ? 'List the accounts in the state authenticationError: if they share a provider, check its OAuth2 application; otherwise ask the owners for new credentials.'
          : 'List the accounts in the state connectError: if they share a server, check the network path and the egress policy to the server.',
      count: failing,
    },
  ]

  function count(state: string): number {
    return states.get(state) ?? 0
  }
}
