/** Exchange Online and Outlook.com replace the Message-ID and say with which: `250 2.0.0 OK <id@….prod.outlook.com> [Hostname=…]`. */
const outlook = /^250[ -]2\.0\.0 OK (<[^<>\s]{1,900}@[^<>\s]+\.prod\.outlook\.com>)/i
/** Exchange tells the id it has given a message, or has left as it was: `250 2.6.0 <id> [InternalId=…] Queued mail for delivery`. */
const exchange = /^250[ -]2\.6\.0 (<[^<>\s]{1,900}@[^<>\s]+>) \[InternalId=/i
/** Amazon SES: `250 Ok 0102018b5c3c0a4f-…-000000`, which is the left part of the Message-ID. */
const ses = /^250 Ok ([0-9a-f]{8,32}(?:-[0-9a-f]{1,32})+)$/i
/** `us-east-1`, `ap-southeast-2`, `us-gov-west-1`. */
const region = /^[a-z]{2}(?:-[a-z]+)+-\d{1,2}$/

/**
 * The Message-ID under which a server passes a message on, where its last reply says so and it may be another than ours. `host` is the
 * name of the server: the replies of Amazon SES mean something only there.
 */
export function serverMessageIdOf(response: string, host: string): string | undefined {
  const reply = response.trim()
  const named = outlook.exec(reply)?.[1] ?? exchange.exec(reply)?.[1]
  if (named !== undefined) return named
  const local = ses.exec(reply)?.[1]
  const domain = local === undefined ? undefined : sesDomain(host)
  return domain === undefined ? undefined : `<${local?.toLowerCase()}@${domain}>`
}

/** `email.amazonses.com` in us-east-1, and the region's elsewhere. */
function sesDomain(host: string): string | undefined {
  const labels = host.toLowerCase().replace(/\.$/, '').split('.')
  const domain = labels.splice(-2).join('.')
  if (domain !== 'amazonaws.com' && domain !== 'awsapps.com') return undefined
  const found = labels.find((label) => region.test(label))
  return found && `${found === 'us-east-1' ? 'email' : found}.amazonses.com`
}
