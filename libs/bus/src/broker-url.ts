/** User of the URL. Without one RabbitMQ's default applies. */
export function userOf(url: string): string {
  return decodeURIComponent(new URL(url).username) || 'guest'
}
