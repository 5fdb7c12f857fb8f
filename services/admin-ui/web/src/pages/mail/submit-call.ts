/** Command that submits a message, for lists that are empty before the first message. */
export const submitCall = [
  'curl -X POST "$POSTHORN_URL/v1/account/anna/submit" \\',
  '  -H "Authorization: Bearer $POSTHORN_TOKEN" -H "Content-Type: application/json" \\',
  `  -d '{"to":[{"address":"ben@example.com"}],"subject":"Hello","text":"Hello!"}'`,
].join('\n')
