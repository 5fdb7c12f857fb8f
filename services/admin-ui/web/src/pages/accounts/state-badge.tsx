import { stateText } from '../../data/account-states.ts'
import { Badge } from '../../kit/content/badge.tsx'

/** Badge with the state of an account. */
export function StateBadge({ state }: { state: string }) {
  const { label, tone } = stateText(state)
  return <Badge tone={tone}>{label}</Badge>
}
