import { Badge } from '../../kit/content/badge.tsx'
import { accountStates } from './account-states.ts'

/** Badge with the state of an account. */
export function StateBadge({ state }: { state: string }) {
  const { label = state, tone = 'neutral' } = accountStates[state] ?? {}
  return <Badge tone={tone}>{label}</Badge>
}
