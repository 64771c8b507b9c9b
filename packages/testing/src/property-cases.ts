/** How many cases of a property test run: all of them in the long tests (`jest.e2e.config.ts`), otherwise a tenth. */
export const propertyCases = (all: number): number => (runsAllPropertyCases() ? all : Math.ceil(all / 10));

/** Whether all cases of property tests run, so that each kind of case is expected among them. */
export const runsAllPropertyCases = (): boolean => 'allPropertyCases' in globalThis;
