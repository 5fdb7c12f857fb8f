/** Software component in a bill of materials (CycloneDX), such as an npm package. */
export interface Component {
  type: 'library' | 'platform' | 'operating-system'
  name: string
  version: string
  purl: string
  /** Name (CPE) under which vulnerabilities of this software component are published. */
  cpe?: string
  licenses?: { expression: string }[]
}

/** Component of a bill of materials for a package of the npm registry. */
export function npmComponent({
  name,
  version,
  license,
}: {
  name: string
  version: string
  license?: string
}): Component {
  return {
    type: 'library',
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    ...(license === undefined ? {} : { licenses: [{ expression: license }] }),
  }
}

/**
 * Component of a bill of materials for Node, which runs the bundle. Node's own libraries, such as
 * OpenSSL, are part of its version.
 */
export function nodeComponent(version: string): Component {
  return {
    type: 'platform',
    name: 'node',
    version,
    purl: `pkg:generic/node@${version}`,
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
    licenses: [{ expression: 'MIT' }],
  }
}

/**
 * Components of a bill of materials for the installed packages of Debian, from the text of
 * `/var/lib/dpkg/status`.
 *
 * @throws Error if the text names no installed package
 */
export function debianComponents(status: string): Component[] {
  const components = status.split(/\n{2,}/).flatMap((paragraph) => {
    const field = (name: string) => new RegExp(`^${name}: (.+)$`, 'm').exec(paragraph)?.[1] ?? ''
    if (!field('Status').endsWith(' installed')) return []
    const [name, version, architecture] = [
      field('Package'),
      field('Version'),
      field('Architecture'),
    ]
    const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}`
    return [{ type: 'library' as const, name, version, purl }]
  })
  if (components.length === 0) throw new Error('the image has no list of installed packages')
  return components
}

/** Bill of materials in the format CycloneDX 1.6, without time and serial number. */
export function billOfMaterials(version: string, components: readonly Component[]): string {
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', name: 'posthorn', version } },
    components,
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

/** Adds the Debian packages of the container image to the bill of materials of the bundle. */
export function addComponents(bundled: string, components: readonly Component[]): string {
  const document = JSON.parse(bundled) as {
    metadata: { component: { version: string } }
    components: Component[]
  }
  return billOfMaterials(document.metadata.component.version, [
    ...document.components,
    ...components,
  ])
}
