import { Module, type DynamicModule } from '@nestjs/common';
import { ThreadDataModule } from '../../reports/thread-data.module.js';
import { ExportGenerateHandler } from './export-generate.handler.js';

@Module({})
class ExportGenerateModule {}

/** Runs jobs of the type `export.generate` in a thread. */
export default (): DynamicModule => ({
  module: ExportGenerateModule,
  imports: [ThreadDataModule.fromEnvironment()],
  providers: [ExportGenerateHandler],
});
