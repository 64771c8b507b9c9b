const shown = 10;

/**
 * A reporter of jest that ends a run with its slowest test files and their seconds, from the load of the first module to the end
 * of the last test. It is plain JavaScript, because jest does not compile reporters. No duration fails a run.
 */
export default class SlowestFilesReporter {
  #rootDir;

  constructor({ rootDir }) {
    this.#rootDir = rootDir;
  }

  onRunComplete(_contexts, { testResults }) {
    const slowest = testResults
      .map(({ testFilePath, perfStats }) => ({ path: testFilePath, ms: perfStats.end - perfStats.start }))
      .toSorted((one, other) => other.ms - one.ms)
      .slice(0, shown);
    const lines = slowest.map(
      ({ path, ms }) => `${(ms / 1_000).toFixed(1).padStart(7)} s  ${path.replace(`${this.#rootDir}/`, '')}`,
    );
    // Like the other lines of jest: its standard output has the result of `--json`.
    process.stderr.write(`\nSlowest files:\n${lines.join('\n')}\n`);
  }
}
