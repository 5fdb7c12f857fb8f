import type { OAuth2App } from '../../data/lists/oauth2-apps.ts'
import { Badge } from '../../kit/content/badge.tsx'

/** Badge with the state of an OAuth2 application. */
export function AppState({ app: { enabled, lastError, pubSubError } }: { app: OAuth2App }) {
  if (!enabled) return <Badge tone="warn">disabled</Badge>
  if (lastError !== null || pubSubError !== null) return <Badge tone="bad">failing</Badge>
  return <Badge tone="good">enabled</Badge>
}
