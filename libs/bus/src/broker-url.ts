/** User of a broker URL. A URL without a user means RabbitMQ's default user. */
export function userOf(url: string): string {
  return decodeURIComponent(new URL(url).username) || 'guest'
}
