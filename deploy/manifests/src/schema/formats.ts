/** Format of a manifest value or key that TypeScript types cannot express. */
export interface Format {
  /** Description of the format as a noun phrase, which completes the sentence "… must be …". */
  description: string
  matches: (value: unknown) => boolean
}

/** Pattern of a DNS label (RFC 1123 §2.1). */
const label = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?'
const dnsName = `${label}(?:\\.${label})*`
/** Pattern of the name of a Kubernetes label or annotation, and of the value of a label. */
const labelName = '[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?'
const hostPart = '[a-zA-Z0-9](?:[-a-zA-Z0-9]*[a-zA-Z0-9])?'
const pathPart = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*'

const isPort = (value: unknown) =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 65_535
const portName: Format = {
  description: 'a port name of at most 15 lower-case letters, digits and hyphens',
  // Name of a port (RFC 6335 §5.1). A name has at least one letter and no two adjacent hyphens.
  matches: text(15, `(?=.*[a-z])(?!.*--)${label}`),
}

/** Formats that several kinds of Kubernetes objects share. */
export const formats = {
  port: { description: 'a port from 1 to 65535', matches: isPort },
  portName,
  portOrName: {
    description: 'a port from 1 to 65535 or a port name',
    matches: (value) => isPort(value) || portName.matches(value),
  },
  // Quantity of Kubernetes (resource.Quantity). Negative quantities are rejected, because no
  // checked field may be negative.
  quantity: {
    description: 'a quantity such as 500m, 2 or 1.5Gi',
    matches: (value) =>
      /^\+?(?:\d+\.?\d*|\.\d+)(?:[KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?$/.test(String(value)),
  },
  // Duration in the format of Go's time.ParseDuration. Negative durations are rejected.
  goDuration: {
    description: 'a duration such as 90s, 1h30m or 500ms',
    matches: text(64, '0|(?:(?:\\d+\\.?\\d*|\\.\\d+)(?:ns|us|µs|ms|s|m|h))+'),
  },
  // Duration in the format of the Gateway API (GEP-2257).
  gatewayDuration: {
    description: 'a duration such as 90s, 1h30m or 500ms',
    matches: text(64, '(?:\\d{1,5}(?:h|ms|m|s)){1,4}'),
  },
  // Duration in the format of Prometheus: each unit at most once, from the longest to the shortest.
  prometheusDuration: {
    description: 'a duration such as 30s, 1h30m or 7d',
    matches: text(
      64,
      '0|(?=.)(?:\\d+y)?(?:\\d+w)?(?:\\d+d)?(?:\\d+h)?(?:\\d+m)?(?:\\d+s)?(?:\\d+ms)?',
    ),
  },
  // Reference of a container image, such as `registry/name:tag@digest`. The grammar is
  // distribution/reference.
  image: {
    description: 'an image such as registry.example/name:tag',
    matches: text(
      512,
      `(?:${hostPart}(?:\\.${hostPart})*(?::\\d+)?/)?${pathPart}(?:/${pathPart})*` +
        '(?::\\w[\\w.-]{0,127})?(?:@[A-Za-z][A-Za-z0-9]*:[0-9a-fA-F]{32,})?',
    ),
  },
  labelKey: {
    description: 'a label key such as name or example.com/name',
    matches: (value) => {
      const [name = '', prefix, ...rest] = String(value).split('/').toReversed()
      return (
        rest.length === 0 &&
        text(63, labelName)(name) &&
        (prefix === undefined || text(253, dnsName)(prefix))
      )
    },
  },
  labelValue: {
    description: 'a label value of at most 63 letters, digits, hyphens, dots and underscores',
    matches: text(63, `(?:${labelName})?`),
  },
  dnsLabel: {
    description: 'a DNS label of at most 63 lower-case letters, digits and hyphens',
    matches: text(63, label),
  },
  // Name of a Kubernetes Service (RFC 1035 §2.3.1). The name becomes a host name.
  serviceName: {
    description: 'a DNS label that begins with a letter',
    matches: text(63, `(?=[a-z])${label}`),
  },
  dnsName: { description: 'a DNS name in lower case', matches: text(253, dnsName) },
  hostName: {
    description: 'a DNS name in lower case, or *. and a DNS name',
    matches: text(253, `(?:\\*\\.)?${dnsName}`),
  },
} as const satisfies Record<string, Format>

export type FormatName = keyof typeof formats

/**
 * Creates a test for texts: a text must match the whole pattern and must not exceed the maximum
 * length.
 */
function text(maxLength: number, pattern: string): Format['matches'] {
  const whole = new RegExp(`^(?:${pattern})$`)
  return (value) => typeof value === 'string' && value.length <= maxLength && whole.test(value)
}
