interface Version {
  numbers: readonly number[]
  /** Identifiers after the hyphen in a pre-release version, such as `rc.1`. Empty for a release. */
  prerelease: readonly string[]
}

const pattern =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:[a-z]+|0|[1-9]\d*)(?:\.(?:[a-z]+|0|[1-9]\d*))*))?$/

/**
 * Parses a semantic version such as `1.0.0-rc.1`. Build metadata is not allowed, because the
 * version becomes the tag of the image and part of names in Kubernetes.
 */
function parse(text: string): Version | undefined {
  const [, major, minor, patch, prerelease] = pattern.exec(text) ?? []
  if (major === undefined) return undefined
  return {
    numbers: [major, minor, patch].map(Number),
    prerelease: prerelease?.split('.') ?? [],
  }
}

export function isVersion(text: string): boolean {
  return parse(text) !== undefined
}

/** True if the version of the project is a pre-release such as `1.0.0-rc.1`. */
export function isPrerelease(text: string): boolean {
  return (parse(text)?.prerelease.length ?? 0) > 0
}

/** Compares two versions (semver.org §11). The result is negative if `a` precedes `b`. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parse(a), parse(b)]
  if (!left || !right) throw new Error(`${left ? b : a} is not a semantic version`)
  const numbers = left.numbers.map((number, at) => number - (right.numbers[at] ?? 0))
  return numbers.find((each) => each !== 0) ?? comparePrereleases(left.prerelease, right.prerelease)
}

function comparePrereleases(a: readonly string[], b: readonly string[]): number {
  // A version without identifiers after a hyphen is a release, which comes after its pre-releases.
  if (a.length === 0 || b.length === 0) return b.length - a.length
  const orders = a.map((identifier, at) => compareIdentifiers(identifier, b[at]))
  return orders.find((each) => each !== 0) ?? a.length - b.length
}

function compareIdentifiers(a: string, b: string | undefined): number {
  if (b === undefined) return 1
  const [left, right] = [Number(a), Number(b)]
  if (Number.isNaN(left) !== Number.isNaN(right)) return Number.isNaN(left) ? 1 : -1
  if (!Number.isNaN(left)) return left - right
  return a === b ? 0 : a < b ? -1 : 1
}
