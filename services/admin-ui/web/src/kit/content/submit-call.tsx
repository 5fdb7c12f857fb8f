import { CopyBox } from './copy-box.tsx'

/** Command that submits a message, for lists that are empty before the first message. */
export function SubmitCall() {
  return <CopyBox text={submitCall} label="Copy the command" />
}

const submitCall = [
  'curl -X POST "$POSTHORN_URL/v1/account/anna/submit" \\',
  '  -H "Authorization: Bearer $POSTHORN_TOKEN" -H "Content-Type: application/json" \\',
  `  -d '{"to":[{"address":"ben@example.com"}],"subject":"Hello","text":"Hello!"}'`,
].join('\n')
