declare module 'postject' {
  /** Adds a part to an executable; rejects when it does not know its form. */
  export function inject(
    file: string,
    name: string,
    part: Buffer,
    options: { sentinelFuse: string; machoSegmentName?: string; overwrite?: boolean },
  ): Promise<void>
}
