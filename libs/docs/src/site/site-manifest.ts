/** Name of the file that describes a built site. It is beside the folder `files`. */
export const manifestName = 'site.json'

/** File of the built site, below its folder `files`. */
export interface SiteFile {
  /** Hash of the content. */
  hash: string
  /** True if compressed variants exist, in files whose names end with `.br` and `.gz`. */
  isCompressed: boolean
  /** True if the name contains a hash of the content, so that the file never changes. */
  isImmutable: boolean
}

/** npm package of which the built site contains files. */
export interface SitePackage {
  name: string
  version: string
  license: string
  /** Texts of the licence files of the package. */
  texts: string[]
}

/** Description of a built site, which `make docs` writes and api-gateway reads. */
export interface SiteManifest {
  /** Value of the header `Content-Security-Policy`. */
  policy: string
  /** Files by path, such as `guides/send/index.html`. */
  files: Record<string, SiteFile>
  packages: SitePackage[]
}
