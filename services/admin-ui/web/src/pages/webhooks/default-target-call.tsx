import { CopyBox } from '../../kit/content/copy-box.tsx'

/** Command that sets the default webhook target, for lists that are empty without a target. */
export function DefaultTargetCall() {
  return (
    <>
      <p>This call sets the default target and enables all events:</p>
      <CopyBox text={settingsCall} label="Copy the command" />
    </>
  )
}

const settingsCall = [
  'curl -X POST "$POSTHORN_URL/v1/settings" -H "Authorization: Bearer $POSTHORN_TOKEN" \\',
  '  -H "Content-Type: application/json" \\',
  `  -d '{"webhooks":"https://hooks.example/","webhooksEnabled":true,"webhookEvents":["*"]}'`,
].join('\n')
