/**
 * Lists the scripts and styles of the first view, and those that each other page adds, from the
 * manifest of the Vite build. The first view is the entry and the first page after sign-in.
 */
export function measureFiles(manifest, firstPage) {
  const filesOf = (key, seen = new Set()) => {
    const chunk = manifest[key]
    if (!chunk || seen.has(key)) return []
    seen.add(key)
    const imported = (chunk.imports ?? []).flatMap((each) => filesOf(each, seen))
    return [chunk.file, ...(chunk.css ?? []), ...imported]
  }
  if (!manifest[firstPage]) throw new Error(`the build has no page ${firstPage}`)
  const entries = Object.keys(manifest).filter((key) => manifest[key].isEntry)
  const first = [...new Set([...entries, firstPage].flatMap((key) => filesOf(key)))]
  const pages = Object.keys(manifest)
    .filter((key) => manifest[key].isDynamicEntry && key !== firstPage)
    .map((key) => ({
      name: key,
      files: [...new Set(filesOf(key))].filter((file) => !first.includes(file)),
    }))
  return { first, pages }
}
