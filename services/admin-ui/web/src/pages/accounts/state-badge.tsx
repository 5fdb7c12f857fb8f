import { Badge } from '../../kit/content/badge.tsx'
import { accountStates } from './account-states.ts'

/** State of an account. */
export function StateBadge({ state }: { state: string }) {
  const { label = state, tone = 'neutral' } = accountStates[state] ?? {}
  return <Badge tone={tone}>{label}</Badge>
}
