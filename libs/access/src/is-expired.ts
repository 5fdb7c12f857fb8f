/** True if an access token has reached the end of its lifetime. */
export function isExpired(
  { expiresAt }: { expiresAt?: Date | null },
  now: number = Date.now(),
): boolean {
  return expiresAt instanceof Date && expiresAt.getTime() <= now
}
