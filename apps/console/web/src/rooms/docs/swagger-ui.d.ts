/** The bundle of Swagger UI, which has no types of its own. Options: the documentation of Swagger UI, "Configuration". */
declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  const SwaggerUI: (options: Record<string, unknown>) => unknown;
  // eslint-disable-next-line import/no-default-export -- it is the export of the bundle
  export default SwaggerUI;
}
