import type { Finding } from '@posthorn/contracts/schemas/finding'
import type { Settings } from '@posthorn/contracts/settings/settings'
import type { OtherTargets } from '../store/installation/findings.ts'

export interface ConfigurationState {
  settings: Pick<Settings, 'serviceUrl' | 'webhooksEnabled' | 'webhooks' | 'webhookEvents'>
  /** False if API requests without an access token are admitted. */
  requireApiAuth: boolean
  otherTargets: OtherTargets
}

/** Findings about settings and variables that are missing or contradict each other. */
export function settingsFindings(state: ConfigurationState): Finding[] {
  const { settings, requireApiAuth } = state
  const findings: Finding[] = []
  if (!settings.serviceUrl)
    findings.push({
      id: 'serviceUrlUnset',
      level: 'warning',
      title: 'The setting serviceUrl is not set',
      detail:
        'The hosted form, sign-ins with OAuth2, tracking and unsubscribe links do not work without the public URL.',
      remedy: 'Set serviceUrl to the URL at which clients and browsers reach the API.',
    })
  if (!requireApiAuth)
    findings.push({
      id: 'tokensNotRequired',
      level: 'warning',
      title: 'The API admits requests without an access token',
      detail: 'Anybody who reaches the API reads mail, sends messages and changes settings.',
      remedy: 'Remove SVC_REQUIRE_API_AUTH=false from the environment of api-gateway.',
    })
  return [...findings, ...webhookSettingsFindings(state)]
}

function webhookSettingsFindings({ settings, otherTargets }: ConfigurationState): Finding[] {
  const { webhooksEnabled, webhooks, webhookEvents = [] } = settings
  const { routes, accounts } = otherTargets
  if (webhooksEnabled !== true) return webhooks || routes ? [webhooksDisabled] : []
  if (!webhooks && !routes && !accounts) return [webhooksWithoutTarget]
  const selectsEvents = webhookEvents.length > 0
  return (webhooks || accounts) && !selectsEvents ? [webhooksWithoutEvents] : []
}

const webhooksDisabled: Finding = {
  id: 'webhooksDisabled',
  level: 'info',
  title: 'Webhooks are disabled',
  detail:
    'Webhook targets exist, but the setting webhooksEnabled is off, so no event is delivered.',
  remedy: 'Set webhooksEnabled to true, or remove the targets.',
}

const webhooksWithoutTarget: Finding = {
  id: 'webhooksWithoutTarget',
  level: 'warning',
  title: 'Webhooks have no target',
  detail:
    'Webhooks are enabled, but there is no default target, no target of an account and no enabled webhook route. No event is delivered.',
  remedy: 'Set the setting webhooks to a URL, or create a webhook route.',
}

const webhooksWithoutEvents: Finding = {
  id: 'webhooksWithoutEvents',
  level: 'warning',
  title: 'No events are selected for webhooks',
  detail:
    'The setting webhookEvents is empty, so neither the default target nor the targets of accounts receive an event. Webhook routes are not affected.',
  remedy: 'Set webhookEvents to the names of the events, or to * for all events.',
}
